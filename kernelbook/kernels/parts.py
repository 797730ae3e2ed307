"""Base classes of kernels on objects with parts of several kinds, each with a kernel of its own."""

from abc import abstractmethod

from kernelbook.kernels.base import Kernel


class PartedKernel(Kernel):
    """A kernel on objects that have parts, made of a kernel on each part; it is PSD if all of these are."""

    on_vectors = False

    @property
    def psd(self):
        """where the kernels of all parts are"""
        return all(kernel.psd for kernel in self._kernels())

    def _kernels(self):
        """The kernel of each part."""
        return self._parts().values()

    @abstractmethod
    def _pieces(self, X, name="X"):
        """For each kernel, its parts of all objects, as it has checked them."""

    def _check_together(self, X, Y):
        for kernel, x, y in self._of_parts(X, Y):
            kernel._check_together(x, y)

    def _fit(self, X, sample_weight):
        for kernel, x, _ in self._of_parts(X, None):
            kernel._fit(x, sample_weight)

    def _of_parts(self, X, Y):
        """Each kernel with its parts of X, and with its parts of Y, or None if Y is None."""
        xs = self._pieces(X)
        return zip(self._kernels(), xs, [None] * len(xs) if Y is None else self._pieces(Y, "Y"), strict=True)


class AdditiveKernel(PartedKernel):
    """The sum of the kernels on the parts."""

    @property
    def conditionally_psd(self):
        return all(kernel.conditionally_psd for kernel in self._kernels())

    def _block(self, X, Y):
        return sum(kernel._block(x, y) for kernel, x, y in self._of_parts(X, Y))

    def _diag(self, X):
        return sum(kernel._diag(x) for kernel, x, _ in self._of_parts(X, None))

    def _squared_distance(self, X, Y):
        return sum(kernel._squared_distance(x, y) for kernel, x, y in self._of_parts(X, Y))
