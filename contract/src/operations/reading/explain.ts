import { operation } from '../../operation.ts'
import { array, integer, map, oneOf, optional, record, text, timestamp, uuid } from '../../shape/index.ts'
import { operatorOnly, worldParam } from '../sim/world-param.ts'
import { requestId } from './reading-parameters.ts'

export const ExplainStep = record({
  code: text().about('Stable code of the kind of step, for programs.'),
  at: timestamp(),
  number: optional(integer()).about('Event that the step is based on.'),
  request_id: optional(requestId()).about('Request that caused the step.'),
  numbers: map(text()).about('Inputs of the decision.'),
  sentence: text().about('The step in English.'),
}).named('ExplainStep')

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
}).named('Explanation')

const explaining = { ...operatorOnly, who: ['operator', 'account'], output: Explanation } as const

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
