"""A grid on bars in NautilusTrader."""

from decimal import Decimal

import pandas as pd
from nautilus_trader.backtest.config import BacktestEngineConfig
from nautilus_trader.backtest.engine import BacktestEngine
from nautilus_trader.backtest.models import FillModel
from nautilus_trader.common.config import LoggingConfig
from nautilus_trader.model.currencies import BTC, USDT
from nautilus_trader.model.data import BarType
from nautilus_trader.model.enums import AccountType, OmsType, OrderSide, TimeInForce
from nautilus_trader.model.identifiers import InstrumentId, Symbol, Venue
from nautilus_trader.model.instruments import CryptoPerpetual
from nautilus_trader.model.objects import Money, Price, Quantity
from nautilus_trader.persistence.wranglers import BarDataWrangler
from nautilus_trader.risk.config import RiskEngineConfig
from nautilus_trader.trading.strategy import Strategy

from rounds import serve, text_of

venue = Venue("SIM")
instrument_id = InstrumentId(Symbol("BTCUSDT"), venue)
bar_type = BarType.from_str(f"{instrument_id}-1-MINUTE-LAST-EXTERNAL")


def instrument(fee):
    """A linear contract with the lots and ticks of the market of Rungs."""
    return CryptoPerpetual(
        instrument_id=instrument_id,
        raw_symbol=Symbol("BTCUSDT"),
        base_currency=BTC,
        quote_currency=USDT,
        settlement_currency=USDT,
        is_inverse=False,
        price_precision=2,
        size_precision=6,
        price_increment=Price.from_str("0.01"),
        size_increment=Quantity.from_str("0.000001"),
        margin_init=Decimal(0),
        margin_maint=Decimal(0),
        maker_fee=Decimal(fee),
        taker_fee=Decimal(fee),
        ts_event=0,
        ts_init=0,
    )


def load(path):
    """The bars of a CSV file, by the reader of the library."""
    table = pd.read_csv(path, index_col="timestamp")
    table.index = pd.to_datetime(table.index, unit="ms", utc=True)
    return BarDataWrangler(bar_type, instrument("0")).process(table)


class Grid(Strategy):
    """Each filled order is replaced by the opposite order of its rung."""

    def __init__(self, rungs):
        super().__init__()
        self.rungs = [
            {
                "amount": Quantity.from_str(amount),
                "orders": [
                    (OrderSide.BUY if side == "buy" else OrderSide.SELL, Price.from_str(price))
                    for side, price in orders
                ],
            }
            for amount, orders in rungs
        ]
        self.fills = []
        self.open = {}

    def on_start(self):
        """Bars begin before the first order, so the first bar places the grid."""
        self.subscribe_bars(bar_type)

    def on_bar(self, bar):
        """Places the grid once."""
        if not self.open:
            for rung in range(len(self.rungs)):
                self.place(rung, 0)

    def place(self, rung, turn):
        """Places the entry (0) or the exit (1) of a rung."""
        side, price = self.rungs[rung]["orders"][turn]
        order = self.order_factory.limit(
            instrument_id, side, self.rungs[rung]["amount"], price, TimeInForce.GTC, post_only=True
        )
        self.open[order.client_order_id] = (rung, turn)
        self.submit_order(order)

    def on_order_filled(self, event):
        """Replaces the order."""
        rung, turn = self.open.pop(event.client_order_id)
        self.fills.append((event.order_side, event.last_px, event.last_qty))
        self.place(rung, 1 - turn)


def run(job, bars):
    """One backtest, without checks of risk, log and statistics."""
    engine = BacktestEngine(
        BacktestEngineConfig(
            logging=LoggingConfig(bypass_logging=True),
            risk_engine=RiskEngineConfig(bypass=True),
            run_analysis=False,
        )
    )
    engine.add_venue(
        venue,
        OmsType.NETTING,
        AccountType.MARGIN,
        [Money(1_000_000, USDT)],
        base_currency=USDT,
        fill_model=FillModel(prob_fill_on_limit=0.0),
        bar_adaptive_high_low_ordering=True,
        use_message_queue=False,
    )
    engine.add_instrument(instrument(job["fee"]))
    engine.add_data(bars, validate=False)
    grid = Grid(job["rungs"])
    engine.add_strategy(grid)
    engine.run()
    fills = grid.fills
    engine.dispose()
    return fills


def fills_of(fills):
    """The fills as text."""
    return [
        text_of("buy" if side == OrderSide.BUY else "sell", price, amount) for side, price, amount in fills
    ]


serve(load, run, fills_of)
