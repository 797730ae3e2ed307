"""What users bring: arrays, data frames, lists of objects, times, gaps and parameters, checked where they come in."""
