"""The indicators of TA-Lib, and of numpy where it has none, over the series that are read from the standard input."""

import json
import sys

import numpy
import talib

WINDOW, FAST, SLOW, SIGNAL, FACTOR = 14, 5, 12, 4, 2.0


def rolling(function, *columns):
    """A function of the last values of columns."""
    length = len(columns[0])
    values = [numpy.nan] * (WINDOW - 1)
    for end in range(WINDOW, length + 1):
        values.append(function(*(column[end - WINDOW : end] for column in columns)))
    return numpy.array(values)


def vwap_band(side):
    def band(prices, volumes):
        mean = numpy.average(prices, weights=volumes)
        return mean + side * FACTOR * numpy.sqrt(numpy.average((prices - mean) ** 2, weights=volumes))

    return band


def seen(line):
    """From the first number on."""
    return line[~numpy.isnan(line)]


def indicators(high, low, close, volume):
    typical = talib.TYPPRICE(high, low, close)
    upper, _, lower = talib.BBANDS(close, WINDOW, FACTOR, FACTOR, 0)
    macd = talib.EMA(close, FAST) - talib.EMA(close, SLOW)
    signal = numpy.concatenate([numpy.full(SLOW - 1, numpy.nan), talib.EMA(seen(macd), SIGNAL)])
    fast_k, _ = talib.STOCHF(high, low, close, WINDOW, 1, 0)
    return {
        "sma": talib.SMA(close, WINDOW),
        "ema": talib.EMA(close, WINDOW),
        "rsi": talib.RSI(close, WINDOW),
        "atr": talib.ATR(high, low, close, WINDOW),
        "macd": macd,
        "macd_signal": signal,
        "bb_upper": upper,
        "bb_lower": lower,
        "highest": talib.MAX(high, WINDOW),
        "lowest": talib.MIN(low, WINDOW),
        "vwap": rolling(lambda prices, volumes: numpy.average(prices, weights=volumes), typical, volume),
        "vwap_upper": rolling(vwap_band(1), typical, volume),
        "vwap_lower": rolling(vwap_band(-1), typical, volume),
        "stddev": rolling(numpy.std, close),
        "stoch": fast_k,
        "adx": talib.ADX(high, low, close, WINDOW),
        "plus_di": talib.PLUS_DI(high, low, close, WINDOW),
        "minus_di": talib.MINUS_DI(high, low, close, WINDOW),
    }


for line in sys.stdin:
    columns = {name: numpy.array(values, dtype=float) for name, values in json.loads(line).items()}
    found = indicators(columns["high"], columns["low"], columns["close"], columns["volume"])
    print(json.dumps({name: [None if numpy.isnan(value) else value for value in values] for name, values in found.items()}))
