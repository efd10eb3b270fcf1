"""A fitted estimator whose responses were computed before."""

from functools import partial


class Stored:
    """Stand-in for an estimator: ``classes_`` and a response for each of its methods."""

    def __init__(self, classes, responses):
        if classes is not None:
            self.classes_ = classes
        for method, response in responses.items():
            setattr(self, method, partial(_stored, response))


def _stored(response, X):
    return response
