"""What stands, among a test's names, for things that live in the process of a student's answers."""


class Remote:
    """A function there: a student's, or a given one that has to run beside the answer."""

    def __init__(self, answers, sent, name, generation=None):
        self.answers, self.sent, self.generation, self.__name__ = answers, sent, generation, name

    def __call__(self, *arguments, **keywords):
        return self.answers.request("call", self, arguments, keywords)

    def __reduce__(self):
        raise TypeError("a student's function stays where it is")

    def __repr__(self):
        return f"<function {self.__name__} of the answers>"


class Unknown:
    """Something that is neither data nor a function: what a test does with it fails, and says why.

    A test may pass it back to the answers, which get what they have given.
    """

    def __init__(self, says, sent=None, generation=None):
        self.says, self.sent, self.generation = says, sent, generation

    def _fail(self, *_, **__):
        raise TypeError(self.says)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise TypeError(self.says)

    __reduce__ = __array__ = __len__ = __iter__ = __float__ = __int__ = __bool__ = __call__ = _fail
    __getitem__ = __contains__ = __eq__ = __lt__ = __gt__ = __le__ = __ge__ = _fail
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __matmul__ = __rmatmul__ = __neg__ = __abs__ = _fail
    __hash__ = None
