import { operation } from '../../operation.ts'
import {
  array,
  bool,
  decimal,
  decimalText,
  list,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  uuid,
} from '../../shape/index.ts'
import { operatorOrOwner, worldParam } from '../sim/world-param.ts'
import { requestId } from './reading-parameters.ts'

export const WhatIfFill = record({
  limit_price: decimalText(),
  outcome: oneOf('filled', 'partially_filled', 'not_filled', 'unknown').about(
    'unknown: the time for the computation (what_if_ms) was over before.',
  ),
  filled_qty: decimalText(),
  filled_avg_price: optional(decimalText()),
  first_at: optional(timestamp()).about('Time of the first fill.'),
  last_at: optional(timestamp()).about('Time of the last fill.'),
}).named('WhatIfFill')

export const WhatIf = record({
  world: text(),
  order_id: optional(uuid()),
  request_id: optional(requestId()),
  symbol: text(),
  side: oneOf('buy', 'sell'),
  qty: optional(decimalText()).about('Absent for an order by amount.'),
  notional: optional(decimalText()),
  limit_price: optional(decimalText()).about('Limit of the order itself.'),
  from: timestamp().about('Time from which the market had the order.'),
  to: timestamp().about('End of the order, or now.'),
  unavailable: optional(oneOf('auction', 'stop', 'provider', 'not_started')).about(
    'Why there are no fills: the order waits for an auction, for its stop, or for the market; or a provider has the prices.',
  ),
  exact: bool().about('false: the world has venue settings, whose delays and fill models are not applied.'),
  complete: bool().about('false: the time for the computation (what_if_ms) was over before.'),
  fills: array(WhatIfFill).about(
    'In the order of the limit prices: from the easiest to the hardest to reach.',
  ),
}).named('WhatIf')

const query = record({
  limit_prices: optional(
    list(
      decimal({ decimals: 4 }).where((price) => Number(price) > 0, 'limit_prices must be > 0'),
      { max: 100 },
    ),
  ).about(
    'Limit prices, at most 100. Default: about 21 prices from the quote at the start to a little beyond the best price of the market.',
  ),
})
const computing = { ...operatorOrOwner, query, output: WhatIf } as const

export const whatIf = {
  whatIfOrder: operation('GET /sim/v1/worlds/{world}/orders/{order_id}/what-if', computing, {
    summary:
      'Compute the fill that an order would have had with other limit prices. Creates nothing. A trading key can ask for its own orders.',
    params: record({ ...worldParam, order_id: uuid() }),
    errors: ['invalidParameter', 'worldNotFound', 'orderNotFound'],
  }),
  whatIfRequest: operation('GET /sim/v1/worlds/{world}/requests/{request_id}/what-if', computing, {
    summary: 'Compute the same for an order that was refused.',
    params: record({ ...worldParam, request_id: requestId() }),
    errors: ['invalidParameter', 'worldNotFound', 'requestNotFound'],
  }),
}
