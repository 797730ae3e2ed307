"""What a figure asks of its reader: a guess that the figure answers, a least value to be found, a task to be done."""

from dataclasses import dataclass
from numbers import Real

import numpy as np

from kernelbook.figures.controls import UNORDERED, text_of

NO_GUESS, GUESSED = "Guess first, then {}.", "Now {}."
RIGHT, WRONG = "You guessed it: {}.", "The answer is: {}."
SO_FAR, LEAST = "Your least so far: {}.", "{}: the least of all {}. Found!"
TO_DO, DONE = "Task: {}", "✓ Done: {}"


@dataclass(frozen=True)
class Question:
    """A question, its answers, and where the figure shows the right one.

    Attributes
    ----------
    text : str
    answers : list of str
    right : the right one of the answers, or None if the figure does not say it
    where : dict, the values of some sliders at which the figure shows it
    act : what the reader is asked to do then, such as "move the sliders"
    """

    text: str
    answers: list
    right: str | None
    where: dict
    act: str

    @classmethod
    def checked(cls, ask, answer, values, act):
        """The question that the arguments of ``explore`` make, or None; ValueError if they make none."""
        if ask is None:
            if answer is not None:
                raise ValueError(f"answer must come with ask, got {answer!r} alone.")
            return None
        text, answers = ask if isinstance(ask, tuple | list) and len(ask) == 2 else (None, None)
        answers = [] if isinstance(answers, UNORDERED) or not np.iterable(answers) else list(answers)
        if len(answers) < 2 or not all(isinstance(each, str) for each in (text, *answers)):
            raise ValueError(
                f"ask must be a pair of a question and a list of two answers or more, all texts, got {ask!r}."
            )
        if answer is None:
            return cls(text, answers, None, {}, act)
        right, where = answer if isinstance(answer, tuple | list) and len(answer) == 2 else (None, None)
        if right not in answers or not isinstance(where, dict) or not where:
            raise ValueError(f"answer must be a pair of one of {answers} and a dict of values, got {answer!r}.")
        for name, value in where.items():
            if name not in values or value not in values[name]:
                raise ValueError(f"answer must name values of sliders, got {name} = {value!r}, which no slider has.")
        return cls(text, answers, right, where, act)

    def is_shown(self, choice):
        """Whether the figure shows the right answer at this choice of the sliders."""
        return self.right is not None and all(choice[name] == value for name, value in self.where.items())

    def reply(self, guess, shown):
        """What the figure says to a guess, where it shows the answer or not."""
        if guess is None:
            return NO_GUESS.format(self.act)
        if not shown:
            return GUESSED.format(self.act)
        return (RIGHT if guess == self.right else WRONG).format(self.right)

    def for_script(self):
        """The same for the script of a page."""
        where = {name: text_of(value) for name, value in self.where.items()}
        return {"right": self.right, "where": where, "guessed": GUESSED.format(self.act)} | {
            "rightly": RIGHT.format(self.right),
            "wrongly": WRONG.format(self.right),
        }


@dataclass(frozen=True)
class Goal:
    """A number, of which the reader looks for the least: the function of a choice, and the text that shows it."""

    function: object
    text: str

    @classmethod
    def checked(cls, goal):
        """The goal that the argument of ``explore`` makes, or None; ValueError if it makes none."""
        if goal is None:
            return None
        function, text = goal if isinstance(goal, tuple | list) and len(goal) == 2 else (None, None)
        if not callable(function) or not isinstance(text, str) or "{" not in text:
            raise ValueError(f"goal must be a pair of a function and a text with a place for its number, got {goal!r}.")
        return cls(function, text)

    def value(self, choice):
        return float(self.function(**choice))

    def line(self, least, values):
        """What the figure says of the least value found so far, beside the values of all choices."""
        shown = self.text.format(least)
        if shown == self.text.format(min(values)):
            return LEAST.format(shown, len(values))
        return SO_FAR.format(shown)

    def for_script(self, values):
        """For each choice its place in the order of the values, and the line if it is the least that was found."""
        order = sorted(set(values))
        return [[order.index(value), self.line(value, values)] for value in values]


@dataclass(frozen=True)
class Task:
    """What the reader is to bring about by moving points: a sentence, and for some numbers the least and the most."""

    text: str
    wanted: dict

    @classmethod
    def checked(cls, task, numbers):
        """The task that the argument of ``drag`` makes, or None; ValueError if it makes none, or is done already."""
        if task is None:
            return None
        text, wanted = task if isinstance(task, tuple | list) and len(task) == 2 else (None, None)
        if not isinstance(text, str) or not isinstance(wanted, dict) or not wanted:
            raise ValueError(f"task must be a pair of a sentence and a dict of pairs (least, most), got {task!r}.")
        for name, ends in wanted.items():
            if name not in numbers:
                known = ", ".join(numbers) or "no numbers"
                raise ValueError(f"task must name numbers of the program, which has {known}, got {name!r}.")
            if np.shape(ends) != (2,) or not all(isinstance(end, Real) for end in ends) or not ends[0] <= ends[1]:
                raise ValueError(f"task must give {name} a pair (least, most) of numbers, got {ends!r}.")
        if (made := cls(text, wanted)).is_done(numbers):
            raise ValueError(f"task must not be done before the reader has moved anything, got {wanted!r}.")
        return made

    def is_done(self, numbers):
        return all(least <= numbers[name] <= most for name, (least, most) in self.wanted.items())

    def line(self, done):
        """What the figure says of the task."""
        return (DONE if done else TO_DO).format(self.text)

    def for_script(self):
        return {"wanted": self.wanted, "done": self.line(True)}
