"""Reads lists of returns as JSON, and prints what scipy makes of them: see ../sharpe.test.ts."""

import json
import sys

import numpy as np
from scipy import stats


def moments(returns):
    return {
        "mean": returns.mean(),
        "variance": returns.var(ddof=1),
        "skew": stats.skew(returns),
        "kurtosis": stats.kurtosis(returns, fisher=False),
    }


def ratio(returns):
    return returns.mean() / returns.std(ddof=1)


def expected_maximum(trials, variance):
    share = np.euler_gamma
    one, other = stats.norm.ppf([1 - 1 / trials, 1 - 1 / (trials * np.e)])
    return np.sqrt(variance) * ((1 - share) * one + share * other)


def probability(returns, than):
    known = moments(returns)
    own = ratio(returns)
    spread = 1 - known["skew"] * own + (known["kurtosis"] - 1) / 4 * own**2
    return stats.norm.cdf((own - than) * np.sqrt(len(returns) - 1) / np.sqrt(spread))


def effective(trials):
    matrix = np.corrcoef(trials)
    count = len(trials)
    mean = matrix[np.triu_indices(count, 1)].mean()
    return mean + (1 - mean) * count


trials = np.array(json.load(sys.stdin))
independent = effective(trials)
expected = expected_maximum(independent, np.var([ratio(each) for each in trials], ddof=1))
print(
    json.dumps(
        {
            "moments": [moments(each) for each in trials],
            "independent": independent,
            "expected": expected,
            "probabilities": [probability(each, expected) for each in trials],
            "below": [[x, stats.norm.cdf(x)] for x in np.arange(-30, 8, 0.37)],
            "quantiles": [[p, stats.norm.ppf(p)] for p in np.logspace(-200, -1e-9, 60)],
        }
    )
)
