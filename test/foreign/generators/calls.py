"""Ten calls through the client that openapi-python-client has generated; the arguments are the address and the id of an order."""

import base64
import hashlib
import hmac
import sys
import time as clock

from venue import Client
from venue.api.order import cancel_all, cancel_order, collateral_bulk, collateral_limit, modify_order
from venue.api.orders import open_orders
from venue.api.public import markets, orderbook, time
from venue.api.trade_account import trading_balance
from venue.models import (
    CancelAllBody,
    CancelOrderBody,
    CollateralBulkBody,
    CollateralBulkBodyOrdersItem,
    CollateralBulkBodyOrdersItemSide,
    CollateralLimitBody,
    CollateralLimitBodySide,
    ModifyOrderBody,
    OpenOrdersBody,
    TradingBalanceBody,
)


def sign(request):
    """Signs a request with a body, which is sent as it was signed."""
    if request.method != "POST":
        return
    payload = base64.b64encode(request.read())
    request.headers["X-TXC-APIKEY"] = "paper-key"
    request.headers["X-TXC-PAYLOAD"] = payload.decode()
    request.headers["X-TXC-SIGNATURE"] = hmac.new(b"paper-secret", payload, hashlib.sha512).hexdigest()


client = Client(base_url=sys.argv[1], httpx_args={"event_hooks": {"request": [sign]}})
nonces = iter(range(clock.time_ns() // 1_000_000, sys.maxsize))
market = "BTC_PERP"


def call(name, endpoint, show, *words, body=None, path=None, **parameters):
    if body is not None:
        parameters["body"] = body(request=path, nonce=str(next(nonces)), **words[0])
        words = ()
    answer = endpoint.sync_detailed(*words, client=client, **parameters)
    print(name, answer.status_code.value, show(answer.parsed))
    return answer.parsed


call("time", time, lambda now: str(now.time > 0).lower())
call("markets", markets, lambda all: next(each.type_ for each in all if each.name == market))
call("orderbook", orderbook, lambda book: str(book is not None).lower(), market, level=0)
call(
    "tradingBalance",
    trading_balance,
    lambda balance: str("USDT" in balance.additional_properties).lower(),
    {},
    body=TradingBalanceBody,
    path="/api/v4/trade-account/balance",
)
order = call(
    "collateralLimit",
    collateral_limit,
    lambda placed: placed.client_order_id,
    {
        "market": market,
        "side": CollateralLimitBodySide.BUY,
        "amount": "0.02",
        "price": "40000",
        "client_order_id": sys.argv[2],
    },
    body=CollateralLimitBody,
    path="/api/v4/order/collateral/limit",
)
call("openOrders", open_orders, len, {"market": market}, body=OpenOrdersBody, path="/api/v4/orders")
modified = call(
    "modifyOrder",
    modify_order,
    lambda new: new.price,
    {"market": market, "order_id": order.order_id, "price": "40010"},
    body=ModifyOrderBody,
    path="/api/v4/order/modify",
)
call(
    "cancelOrder",
    cancel_order,
    lambda gone: gone.status,
    {"market": market, "order_id": modified.order_id},
    body=CancelOrderBody,
    path="/api/v4/order/cancel",
)
orders = [
    CollateralBulkBodyOrdersItem(
        market=market, side=CollateralBulkBodyOrdersItemSide.BUY, amount="0.02", price=price
    )
    for price in ["39000", "38000"]
]
call(
    "collateralBulk",
    collateral_bulk,
    len,
    {"orders": orders},
    body=CollateralBulkBody,
    path="/api/v4/order/collateral/bulk",
)
call("cancelAll", cancel_all, len, {"market": market}, body=CancelAllBody, path="/api/v4/order/cancel/all")
