# Writes the Parquet and Feather files of this folder and the same rows as CSV. Needs pyarrow.
import csv
import datetime
import decimal
import os
import uuid

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet

folder = os.path.dirname(os.path.abspath(__file__))
start = 1_700_000_000


def path(name):
    return os.path.join(folder, name)


def write_csv(name, header, rows):
    with open(path(name), "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


times = [start + 60 * row for row in range(300)]
bars = [(60_000 + row % 7 + 0.25, 60_010.5 + row % 7, 59_990.1 + row % 7, 60_001.75 + row % 7, row / 8) for row in range(300)]
header = ["timestamp", "open", "high", "low", "close", "volume"]
write_csv("bars.csv", header, [(at, *bar) for at, bar in zip(times, bars)])


def moments(unit):
    moment = [datetime.datetime.fromtimestamp(at, datetime.timezone.utc) for at in times]
    return pa.array(moment, pa.timestamp(unit, "UTC"))


def bar_table(time, number):
    columns = [pa.array(column, number) for column in zip(*bars)]
    return pa.table([time, *columns], names=header)


table = bar_table(moments("ms"), pa.float64())
for compression in ["none", "snappy", "gzip", "brotli", "zstd", "lz4"]:
    parquet.write_table(table, path(f"bars-{compression}.parquet"), compression=compression, row_group_size=70)
parquet.write_table(bar_table(moments("us"), pa.float64()), path("bars-us.parquet"), use_dictionary=False)
parquet.write_table(bar_table(moments("ns"), pa.float64()), path("bars-ns.parquet"), data_page_version="2.0")
parquet.write_table(bar_table(pa.array(times, pa.int64()), pa.float64()), path("bars-seconds.parquet"))
parquet.write_table(bar_table(moments("ms"), pa.float32()), path("bars-float.parquet"))
feather.write_feather(table, path("bars.feather"))

trades = [
    (start * 1000 + 37 * row, decimal.Decimal(6_000_000 + row % 11) / 100, row % 5 / 1e5 + 1e-05, 7 + row)
    for row in range(300)
]
names = ["exchange", "timestamp", "price", "amount", "id"]
write_csv("trades.csv", names[1:], trades)


def trade_table(ids):
    return pa.table(
        [
            pa.array(["one, with a comma"] * 300),
            pa.array([at * 1000 for at, *_ in trades], pa.int64()),
            pa.array([price for _, price, *_ in trades], pa.decimal128(18, 2)),
            pa.array([amount for _, _, amount, _ in trades], pa.float64()),
            ids,
        ],
        names=names,
    )


parquet.write_table(trade_table(pa.array([id for *_, id in trades], pa.int64())), path("trades.parquet"))
uuids = [str(uuid.UUID(int=id)) for *_, id in trades]
parquet.write_table(trade_table(pa.array(uuids)), path("trades-uuid.parquet"), compression="zstd")
parquet.write_table(pa.table({"name": ["a"], "value": [1]}), path("other.parquet"))
