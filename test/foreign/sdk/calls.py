"""
Makes each call of the vendor's own client for Python that the exchange serves, and prints a line for each: its name, and
"read" or what went wrong. The models of the client demand each field that the vendor documents as required.

    python calls.py http://127.0.0.1:8080
"""

import json
import sys
from datetime import datetime, timezone

import httpx
import pydantic
from whitebit import WhitebitApi
from whitebit.core.api_error import ApiError
from whitebit.environment import WhitebitApiEnvironment
from whitebit.hmac_transport import HmacTransport

url = sys.argv[1]


class LastAnswer(HmacTransport):
    """Keeps the last answer: later calls need ids from earlier ones, whether the client could read them or not."""

    text = ""
    status = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        LastAnswer.text = response.read().decode()
        LastAnswer.status = response.status_code
        return response


client = WhitebitApi(
    environment=WhitebitApiEnvironment(base=url, production=url, eu=url),
    api_key="paper-key",
    txc_payload="",
    txc_signature="",
    httpx_client=httpx.Client(transport=LastAnswer(api_secret="paper-secret")),
)
# The client fills them in.
signed = {"request": "", "nonce": 0}


def call(name: str, /, **arguments):
    """Makes one call, prints how it went, and gives the answer as plain JSON."""
    part, _, method = name.rpartition(".")
    owner = getattr(client, part) if part else client
    try:
        getattr(owner, method)(**arguments)
        outcome = "read"
    except ApiError as error:
        outcome = f"refused with {error.status_code}: {json.dumps(error.body, default=str)}"
    except pydantic.ValidationError as error:
        faults = sorted({f"{'.'.join(str(part) for part in each['loc'])}: {each['msg']}" for each in error.errors()})
        outcome = f"misread: {'; '.join(faults[:6])} in {LastAnswer.text[:300]}"
    print(f"{name} {outcome}", flush=True)
    try:
        return json.loads(LastAnswer.text)
    except json.JSONDecodeError:
        return None


def first(answer, *names):
    """The value at this path of an answer; None if there is none."""
    for name in names:
        try:
            answer = answer[name]
        except (KeyError, IndexError, TypeError):
            return None
    return answer


market, futures = "BTC_USDT", "BTC_PERP"
public = "public_api_v4."
for name in [
    "asset_status_list",
    "available_futures_markets_list",
    "collateral_markets_list",
    "fee",
    "maintenance_status",
    "market_activity",
    "market_info",
    "mining_pool_overview",
    "server_status",
    "server_time",
]:
    call(public + name)
prices = call(public + "depth", market=futures)
for name in ["orderbook", "recent_trades"]:
    call(public + name, market=futures)
call(public + "funding_history", market=futures)

price = float(prices["asks"][0][0])
near = lambda share: f"{price * share:.1f}"
buy = {"side": "buy", "amount": "0.001"}
sell = {"side": "sell", "amount": "0.001"}

# Spot orders.
spot = "spot_trading."
call("main_account.get_main_balance", **signed)
call("main_account.get_main_balance", ticker="USDT", **signed)
call("transfer.between_balances", ticker="USDT", amount="5000", from_="main", to="spot", **signed)
call(spot + "trade_account_balance")
call(spot + "trade_account_balance", ticker="USDT")
resting = call(spot + "create_limit_order", market=market, price=near(0.8), client_order_id="sdk-1", **buy, **signed)
call(spot + "modify_order", market=market, order_id=first(resting, "orderId"), price=near(0.79), **signed)
call(spot + "get_active_orders", market=market)
active = call(spot + "get_active_orders")
call(spot + "cancel_order", market=market, order_id=first(active, 0, "orderId") or first(active, 0, "order_id"), **signed)
one = {"market": market, "price": near(0.8), **buy}
call(spot + "create_bulk_limit_order", orders=[{**one, "clientOrderId": "sdk-2"}, {**one, "clientOrderId": "sdk-3"}], stop_on_fail=True, **signed)
call(spot + "cancel_bulk_orders", orders=[{"market": market, "clientOrderId": "sdk-2"}, {"market": market, "clientOrderId": "sdk-3"}], **signed)
dealt = call(spot + "create_market_order", market=market, side="buy", amount="200", **signed)
call(spot + "create_stock_market_order", market=market, side="buy", amount="0.001", **signed)
call(spot + "create_stop_limit_order", market=market, price=near(1.31), activation_price=near(1.3), **buy, **signed)
call(spot + "create_stop_market_order", market=market, side="buy", amount="100", activation_price=near(1.3), **signed)
call("collateral_trading.get_conditional_orders")
call(spot + "cancel_all_orders", market=market, **signed)
call(spot + "set_kill_switch", market=market, timeout="60", types=["spot"])
call(spot + "get_kill_switch_status", market=market)
call(spot + "set_kill_switch", market=market, timeout=None, types=["spot"])
call(spot + "get_executed_order_history", market=market)
call(spot + "get_executed_order_history")
call(spot + "get_order_deals", order_id=first(dealt, "orderId"), **signed)
call(spot + "get_order_history", market=market)
call(spot + "get_order_history")
call(spot + "get_delisting_order_history")

# Collateral orders and positions.
margin = "collateral_trading."
call("transfer.between_balances", ticker="USDT", amount="1000", from_="main", to="collateral", **signed)
call(margin + "change_collateral_account_leverage", leverage=5, **signed)
call(margin + "get_collateral_hedge_mode")
call(margin + "update_hedge_mode", hedge_mode=False, **signed)
for name in ["collateral_account_balance", "collateral_account_balance_summary", "collateral_account_summary"]:
    call(margin + name)
call(margin + "collateral_account_balance", ticker="USDT")
call(margin + "collateral_account_balance_summary", ticker="USDT")
call(margin + "create_collateral_bulk_order", orders=[{**one, "market": futures, "clientOrderId": "sdk-4"}], stop_on_fail=False)
call(margin + "create_collateral_limit_order", market=futures, price=near(0.81), client_order_id="sdk-5", **buy, **signed)
call(margin + "create_collateral_market_order", market=futures, **buy, **signed)
call(margin + "create_collateral_stop_limit_order", market=futures, price=near(0.7), activation_price=near(0.71), **sell, **signed)
call(margin + "create_collateral_trigger_market_order", market=futures, activation_price=near(0.7), **sell, **signed)
exit = {"price": near(1.2), "activation_price": near(0.7), "stop_limit_price": near(0.69), **sell}
for _ in range(2):
    call(margin + "create_collateral_oco_order", market=futures, **exit, **signed)
stops = call(margin + "get_conditional_orders", market=futures)
call(margin + "cancel_conditional_order", market=futures, id=first(stops, "records", 0, "id"), **signed)
pairs = call(margin + "get_oco_orders", market=futures)
one_of_both = first(pairs, 0, "take_profit", "orderId")
call(margin + "cancel_oco_order", market=futures, order_id=one_of_both, **signed)
position = call(margin + "get_open_positions", market=futures)
call(margin + "get_collateral_account_adl_quantile", **signed)
call(margin + "close_position", market=futures, position_id=first(position, 0, "positionId"), **signed)
call(margin + "get_positions_history", market=futures)
call(margin + "get_closed_positions_pnl")
call(margin + "get_funding_history", market=futures)
call(spot + "cancel_all_orders", **signed)

# The account.
call("main_account.get_deposit_withdraw_history", **signed)
call("deposit.get_deposit_address", ticker="BTC", network="BTC", **signed)
call("deposit.create_new_address", ticker="BTC", **signed)
call("withdraw.create_withdraw", ticker="USDT", amount="50", address="0x0964A6B8F794A4B8d61b62652dB27ddC9844FB4c", network="ERC20", unique_id="sdk-w", **signed)
call("fees.get_fees", **signed)
call("market_fee.get_market_fee")
call("jwt.get_web_socket_token", **signed)
code = call("codes.create_code", ticker="USDT", amount="5", **signed)
call("codes.get_my_codes", **signed)
call("codes.apply_code", code=first(code, "code"), **signed)
call("codes.get_codes_history", **signed)

fixed = "crypto_lending_fixed."
plans = call(fixed + "get_fixed_plans", **signed)
made = call(fixed + "create_fixed_investment", plan_id=first(plans, 0, "planId") or first(plans, 0, "id"), amount="100", **signed)
call(fixed + "get_fixed_investments_history", **signed)
call(fixed + "close_fixed_investment", id=first(made, "id"), **signed)
call(fixed + "get_interest_payment_history", **signed)
flex = "crypto_lending_flex."
plans = call(flex + "get_flex_plans", **signed)
plan = first(plans, 0, "id")
call(flex + "create_flex_investment", plan=plan, amount="100", **signed)
call(flex + "get_user_flex_investments", **signed)
call(flex + "update_flex_auto_reinvestment", plan=plan, enabled=True, **signed)
call(flex + "withdraw_from_flex_investment", plan=plan, amount="10", **signed)
call(flex + "get_flex_investment_history", **signed)
call(flex + "get_flex_payment_history", **signed)
call(flex + "close_flex_investment", plan=plan, **signed)
call("credit_line.get_credit_line_info", **signed)

mining = "mining_pool."
accounts = call(mining + "get_mining_accounts", **signed)
account = first(accounts, "data", 0, "name")
call(mining + "create_mining_account", name="sdk", **signed)
call(mining + "get_mining_hashrate", account=account)
call(mining + "get_mining_miner_info", account=account)
call(mining + "get_mining_payout_destination", account_name=account)
call(mining + "get_mining_rewards")
call(mining + "get_mining_worker_names", account=account)
workers = call(mining + "get_mining_worker_names", account=account)
call(mining + "get_mining_worker_hashrate", account=account, worker=first(workers, "data", 0, "name") or "rig-1")
call(mining + "create_mining_watcher_link", accounts=[account], name="sdk", permissions=["hashrate"], live_until=datetime.now(timezone.utc))
call(mining + "list_mining_watcher_links", account=account)
call(mining + "set_mining_payout_destination", account_name=account, destination="main_balance")

desk = "sub_account."
permissions = {"spotEnabled": True, "collateralEnabled": True}
made = call(desk + "create_sub_account", alias="sdk", share_kyc=True, permissions=permissions)
call(desk + "list_sub_accounts")
sub = first(made, "id")
call(desk + "edit_sub_account", id=sub, alias="sdk2", permissions=permissions)
call(desk + "transfer", id=sub, direction="main_to_sub", amount="10", ticker="USDT")
call(desk + "get_sub_account_balances", id=sub)
call(desk + "get_sub_account_transfer_history", id=sub)
call(desk + "block_sub_account", id=sub)
call(desk + "unblock_sub_account", id=sub)
call(desk + "get_sub_account_kyc_url", id=sub)
call(desk + "list_unconfirmed_sub_account_withdrawals")
call("sub_account_api_keys.list_sub_account_api_keys")
call(desk + "transfer", id=sub, direction="sub_to_main", amount="10", ticker="USDT")
call(desk + "delete_sub_account", id=sub)
call("travel_rule.get_travel_rule_vasps", **signed)
call("convert_estimate", from_="USDT", to="BTC", direction="from", amount="100")
call("convert_history")
