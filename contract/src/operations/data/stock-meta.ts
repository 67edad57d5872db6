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
    summary: 'What the condition codes of a tape mean.',
    params: record({ ticktype: oneOf('trade', 'quote') }),
    query: record({ tape: oneOf('A', 'B', 'C') }),
  }),
  stockMetaExchanges: operation({
    ...shared,
    path: '/v2/stocks/meta/exchanges',
    summary: 'The letters of the exchanges.',
  }),
}
