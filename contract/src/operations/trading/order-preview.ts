import { operation } from '../../operation.ts'
import {
  array,
  decimalText,
  integer,
  oneOf,
  openRecord,
  optional,
  record,
  text,
  timestamp,
} from '../../shape/index.ts'
import { ExplainStep } from '../reading/explain.ts'
import { OrderStatusShape } from './order-record.ts'
import { PlaceOrderShape } from './orders.ts'

export const PreviewedFill = record({
  qty: decimalText(),
  price: decimalText(),
  cash: decimalText().about('Cash that moves, in whole cents.'),
  quote_at: timestamp().about('Time of the quote that fills the order.'),
}).named('PreviewedFill')

export const PreviewedFee = record({
  kind: oneOf('sec', 'taf', 'cat', 'crypto'),
  asset: text().about('USD, or the coin.'),
  amount: decimalText().about('Regulatory fees are added up and rounded at the end of the day.'),
}).named('PreviewedFee')

/** The body of the error that the order would get, and its HTTP status. */
export const PreviewedRefusal = openRecord(
  record({
    status: integer().about('HTTP status of the error.'),
    code: integer(),
    message: text(),
    reason: text().about('See the list of errors. Its other fields are here too.'),
  }).named('PreviewedRefusal'),
)

export const OrderPreview = record({
  outcome: oneOf('refused', 'filled', 'partially_filled', 'waits', 'canceled', 'rejected').about(
    'waits: accepted, not filled at once. canceled: an IOC or FOK order that the quote does not fill.',
  ),
  refusal: optional(PreviewedRefusal).about('Error that POST /v2/orders would return. Absent if accepted.'),
  status: optional(OrderStatusShape).about('Status after the steps that follow at once. Absent if refused.'),
  qty: optional(decimalText()).about('Quantity. For a notional order: the estimate.'),
  estimated_price: optional(decimalText()).about('Expected price of the part that waits.'),
  reserved_price: optional(decimalText()).about(
    'Price that the buying-power check uses. For a short it is at least 3 % above the ask.',
  ),
  estimated_value: optional(decimalText()).about('Fills, plus the rest at the estimated price.'),
  cost: optional(decimalText()).about('Buying power that the order takes. 0 if it closes a position.'),
  fees: optional(array(PreviewedFee)).about('Fees of the whole order at these prices.'),
  fills: optional(array(PreviewedFill)).about('What the current quote fills at once.'),
  remaining_qty: optional(decimalText()),
  buying_power_before: decimalText(),
  buying_power_after: optional(decimalText()),
  position_qty_before: optional(decimalText()).about('Negative: short.'),
  position_qty_after: optional(decimalText()),
  steps: array(ExplainStep).about('Decisions with their inputs, as explain returns them.'),
  alternatives: array(ExplainStep).about('What the account could order in place of a refused order.'),
}).named('OrderPreview')

export const orderPreview = {
  previewOrder: operation('POST /v2/orders/preview', { family: 'trading', who: ['account'] } as const, {
    summary: 'Preview an order: cost, fees, buying power, fill or refusal. Changes nothing.',
    scope: 'read',
    onlyReads: true,
    bodySize: 'small',
    body: PlaceOrderShape,
    output: OrderPreview,
    errors: ['invalidParameter'],
  }),
}
