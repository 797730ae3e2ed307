"""Support vector machines: each states its dual problem, and has it solved."""

from kernelbook.svm.classification import SVC, NuSVC
from kernelbook.svm.one_class import OneClassSVM
from kernelbook.svm.selection import SVCCV, svc_path

__all__ = ["SVC", "SVCCV", "NuSVC", "OneClassSVM", "svc_path"]
