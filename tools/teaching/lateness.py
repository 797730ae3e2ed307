"""When a submission came, and what nbgrader's rule for late work takes from it."""

from datetime import timedelta
from textwrap import shorten

from nbgrader.preprocessors import AssignLatePenalties

from tools.teaching.course import nbgrader_config, parse_time


def submission_time(folder, name):
    """The text of a submission's timestamp.txt, and the time in it, or None if the text is no time with its zone."""
    path = folder / name / "timestamp.txt"
    if path.is_symlink() or not path.is_file():
        return "", None
    text = path.read_bytes()[:100].decode(errors="replace").strip().partition("\n")[0].strip()
    return text, parse_time(text)


def late_plugin(course):
    """nbgrader's rule for late submissions, as the course has set it."""
    try:
        step = AssignLatePenalties(config=nbgrader_config(course))
        step.init_plugin()
        return step.plugin_inst
    except Exception as error:  # the teacher's own code may raise anything
        raise SystemExit(f"{course / 'nbgrader_config.py'}: {type(error).__name__}: {error}") from None


def update_penalty(gradebook, work, course):
    """Store and return nbgrader's penalty for a late submission, from its present points, including those by hand."""
    penalty, late = 0.0, work.assignment.total_seconds_late
    if late > 0:
        found = late_plugin(course).late_submission_penalty(work.student.id, work.score, late)
        penalty = min(max(found or 0.0, 0.0), work.score)
    work.late_submission_penalty = penalty or None
    gradebook.db.commit()
    return penalty


def lateness(assignment, text):
    """What the teacher should know about the time of a submission to an assignment that has a deadline."""
    if assignment.total_seconds_late > 0:
        return [f"came {timedelta(seconds=round(assignment.total_seconds_late))} late"]
    if assignment.assignment.duedate and not assignment.timestamp:
        if text:
            return [f"timestamp unreadable, so counts as in time: {shorten(text, 40, placeholder=' …')}"]
        return ["came without a time in timestamp.txt, so counts as in time"]
    return []
