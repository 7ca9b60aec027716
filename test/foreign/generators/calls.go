package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"example.com/calls/venue"
)

var last = time.Now().UnixMilli()

func nonce() string {
	last++
	return strconv.FormatInt(last, 10)
}

// sign adds the headers to a request with a body, which is sent as it was signed.
func sign(_ context.Context, request *http.Request) error {
	if request.Body == nil {
		return nil
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return err
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	payload := base64.StdEncoding.EncodeToString(body)
	mac := hmac.New(sha512.New, []byte("paper-secret"))
	mac.Write([]byte(payload))
	request.Header.Set("X-TXC-APIKEY", "paper-key")
	request.Header.Set("X-TXC-PAYLOAD", payload)
	request.Header.Set("X-TXC-SIGNATURE", hex.EncodeToString(mac.Sum(nil)))
	return nil
}

func done[Answer any](answer *Answer, err error) *Answer {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	return answer
}

// grown gives a list more elements; the generated type of an element has no name.
func grown[Element any](list []Element, more int) []Element {
	return append(list, make([]Element, more)...)
}

func main() {
	calls := done(venue.NewClientWithResponses(os.Args[1], venue.WithRequestEditorFn(sign)))
	ctx := context.Background()
	market, id := "BTC_PERP", os.Args[2]

	now := done(calls.TimeWithResponse(ctx))
	fmt.Println("time", now.StatusCode(), now.JSON200.Time > 0)

	markets := done(calls.MarketsWithResponse(ctx))
	for _, each := range *markets.JSON200 {
		if each.Name == market {
			fmt.Println("markets", markets.StatusCode(), each.Type)
		}
	}
	level := int64(0)
	book := done(calls.OrderbookWithResponse(ctx, market, &venue.OrderbookParams{Level: &level}))
	fmt.Println("orderbook", book.StatusCode(), book.JSON200 != nil)

	balance := done(calls.TradingBalanceWithResponse(ctx, venue.TradingBalanceJSONRequestBody{
		Request: "/api/v4/trade-account/balance", Nonce: nonce()}))
	_, held := (*balance.JSON200)["USDT"]
	fmt.Println("tradingBalance", balance.StatusCode(), held)

	order := done(calls.CollateralLimitWithResponse(ctx, venue.CollateralLimitJSONRequestBody{
		Request: "/api/v4/order/collateral/limit", Nonce: nonce(), Market: market, Side: "buy",
		Amount: "0.02", Price: "40000", ClientOrderId: &id}))
	fmt.Println("collateralLimit", order.StatusCode(), order.JSON200.ClientOrderId)

	open := done(calls.OpenOrdersWithResponse(ctx, venue.OpenOrdersJSONRequestBody{
		Request: "/api/v4/orders", Nonce: nonce(), Market: &market}))
	fmt.Println("openOrders", open.StatusCode(), len(*open.JSON200))

	price := "40010"
	modified := done(calls.ModifyOrderWithResponse(ctx, venue.ModifyOrderJSONRequestBody{
		Request: "/api/v4/order/modify", Nonce: nonce(), Market: market, OrderId: &order.JSON200.OrderId, Price: &price}))
	fmt.Println("modifyOrder", modified.StatusCode(), *modified.JSON200.Price)

	canceled := done(calls.CancelOrderWithResponse(ctx, venue.CancelOrderJSONRequestBody{
		Request: "/api/v4/order/cancel", Nonce: nonce(), Market: market, OrderId: &modified.JSON200.OrderId}))
	fmt.Println("cancelOrder", canceled.StatusCode(), canceled.JSON200.Status)

	bulk := venue.CollateralBulkJSONRequestBody{Request: "/api/v4/order/collateral/bulk", Nonce: nonce()}
	bulk.Orders = grown(bulk.Orders, 2)
	for index, each := range []string{"39000", "38000"} {
		added := &bulk.Orders[index]
		added.Market, added.Side, added.Amount, added.Price = market, "buy", "0.02", each
	}
	placed := done(calls.CollateralBulkWithResponse(ctx, bulk))
	fmt.Println("collateralBulk", placed.StatusCode(), len(*placed.JSON200))

	all := done(calls.CancelAllWithResponse(ctx, venue.CancelAllJSONRequestBody{
		Request: "/api/v4/order/cancel/all", Nonce: nonce(), Market: &market}))
	fmt.Println("cancelAll", all.StatusCode(), len(*all.JSON200))
}
