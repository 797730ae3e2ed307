"""Support vector machines: each states its dual problem, which kernelbook.qp solves."""

from kernelbook.svm.classification import SVC, NuSVC
from kernelbook.svm.classification_search import SVCCV
from kernelbook.svm.one_class import OneClassSVM
from kernelbook.svm.path import svc_path
from kernelbook.svm.regression import SVR, NuSVR, QuantileSVR
from kernelbook.svm.regression_search import SVRCV

__all__ = ["SVC", "SVCCV", "SVR", "SVRCV", "NuSVC", "NuSVR", "OneClassSVM", "QuantileSVR", "svc_path"]
