"""Support vector machines: each states its dual problem, and has it solved."""

from kernelbook.svm.classification import SVC, NuSVC
from kernelbook.svm.one_class import OneClassSVM
from kernelbook.svm.regression import SVR, NuSVR, QuantileSVR
from kernelbook.svm.regression_selection import SVRCV
from kernelbook.svm.selection import SVCCV, svc_path

__all__ = ["SVC", "SVCCV", "SVR", "SVRCV", "NuSVC", "NuSVR", "OneClassSVM", "QuantileSVR", "svc_path"]
