import { operation } from '../../operation.ts'
import { array, integer, map, oneOf, optional, record, text, timestamp, uuid } from '../../shape/index.ts'
import { inWorld, requestId, sharedReading } from './reading-parameters.ts'

export const ExplainStep = record({
  code: text().about('The same for the same kind of step: for programs.'),
  at: timestamp(),
  number: optional(integer()).about('The event it is told from.'),
  request_id: optional(requestId()).about('The request that asked for it.'),
  numbers: map(text()).about('What was looked at.'),
  sentence: text().about('The same for people.'),
}).named('ExplainStep')

export const Explanation = record({
  world: text(),
  order_id: optional(uuid()),
  request_id: optional(requestId()).about('The request that placed it, or was refused.'),
  account_id: optional(uuid()),
  outcome: oneOf('open', 'filled', 'canceled', 'expired', 'replaced', 'refused', 'done').about(
    'done: a request that was neither refused nor placed an order.',
  ),
  summary: text(),
  steps: array(ExplainStep).about('Every decision with its inputs, in order.'),
  counterfactual: array(ExplainStep).about('What would have filled it, and when.'),
}).named('Explanation')

const explaining = {
  ...sharedReading,
  who: ['operator', 'account'],
  scope: 'never',
  method: 'GET',
  output: Explanation,
  status: 200,
} as const

export const explain = {
  explainOrder: operation({
    ...explaining,
    path: '/sim/v1/worlds/{world}/orders/{order_id}/explain',
    summary: 'Why an order is what it is. A trading key explains its own orders.',
    params: record({ ...inWorld, order_id: uuid() }),
    errors: ['invalidParameter', 'worldNotFound', 'orderNotFound'],
  }),
  explainRequest: operation({
    ...explaining,
    path: '/sim/v1/worlds/{world}/requests/{request_id}/explain',
    summary: 'Why a request was refused, or what became of the order it placed.',
    params: record({ ...inWorld, request_id: requestId() }),
    errors: ['invalidParameter', 'worldNotFound', 'requestNotFound'],
  }),
}
