import { operation } from '../../operation.ts'
import { map, oneOf, record, text } from '../../shape/index.ts'
import { reading } from './data-operation.ts'

const shared = {
  ...reading,
  state: 'works',
  output: map(text()),
  errors: ['invalidDataParameter'],
} as const

export const stockMeta = {
  stockMetaConditions: operation({
    ...shared,
    path: '/v2/stocks/meta/conditions/{ticktype}',
    summary: 'List condition codes of a tape with their meanings.',
    params: record({ ticktype: oneOf('trade', 'quote') }),
    query: record({ tape: oneOf('A', 'B', 'C') }),
  }),
  stockMetaExchanges: operation({
    ...shared,
    path: '/v2/stocks/meta/exchanges',
    summary: 'List exchange codes with their names.',
  }),
}
