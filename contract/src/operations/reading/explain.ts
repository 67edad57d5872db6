import { operation } from '../../operation.ts'
import {
  array,
  decimalText,
  integer,
  map,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  uuid,
} from '../../shape/index.ts'
import { operatorOrOwner, worldParam } from '../sim/world-param.ts'
import { requestId } from './reading-parameters.ts'

export const ExplainStep = record({
  code: text().about('Stable code of the kind of step, or the reason of an error.'),
  at: timestamp(),
  number: optional(integer()).about('Event that the step is based on.'),
  request_id: optional(requestId()).about('Request that caused the step.'),
  numbers: map(text()).about(
    'Every value of the sentence and further inputs: exact decimals, timestamps, words.',
  ),
  sentence: text().about('The step in English, made from the code and the numbers alone.'),
}).named('ExplainStep')

export const ExplainedQuote = record({
  at: timestamp().about('Time of the quote.'),
  relation: oneOf('arrival', 'fill', 'closest').about(
    'arrival: when the order reached the market. fill: filled the order. closest: nearest to its limit without reaching it.',
  ),
  price: decimalText().about('Price that the order would get: the ask for a buy, the bid for a sell.'),
  size: decimalText().about('Size at this price.'),
  bid: decimalText(),
  bid_size: decimalText(),
  ask: decimalText(),
  ask_size: decimalText(),
  filled_qty: optional(decimalText()),
  missed_by: optional(decimalText()).about(
    'Distance to the limit of the order. Absent if the quote reaches it.',
  ),
}).named('ExplainedQuote')

export const Explanation = record({
  world: text(),
  order_id: optional(uuid()),
  request_id: optional(requestId()).about('Request that placed the order, or was refused.'),
  account_id: optional(uuid()),
  outcome: oneOf('open', 'filled', 'canceled', 'expired', 'replaced', 'rejected', 'refused', 'done').about(
    'done: the request was not refused and placed no order.',
  ),
  summary: text(),
  steps: array(ExplainStep).about('Decisions with their inputs, in order.'),
  counterfactual: array(ExplainStep).about('What would have filled the order, and when.'),
  quotes: array(ExplainedQuote).about('Quotes that concern the order, by time.'),
}).named('Explanation')

const explaining = { ...operatorOrOwner, output: Explanation } as const

export const explain = {
  explainOrder: operation('GET /sim/v1/worlds/{world}/orders/{order_id}/explain', explaining, {
    summary: 'Explain the status of an order. A trading key can explain its own orders.',
    params: record({ ...worldParam, order_id: uuid() }),
    errors: ['invalidParameter', 'worldNotFound', 'orderNotFound'],
  }),
  explainRequest: operation('GET /sim/v1/worlds/{world}/requests/{request_id}/explain', explaining, {
    summary: 'Explain why a request was refused, or what happened to its order.',
    params: record({ ...worldParam, request_id: requestId() }),
    errors: ['invalidParameter', 'worldNotFound', 'requestNotFound'],
  }),
}
