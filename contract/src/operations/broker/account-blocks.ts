import { operation } from '../../operation.ts'
import { array, optional, record, text, withDefault } from '../../shape/index.ts'
import { operatorOnly, worldParam } from '../sim/world-param.ts'
import { accountParam, BlockKindShape, BrokerAccount, shared } from './accounts.ts'

const kinds = () => array(BlockKindShape, { max: 3 })
const reason = optional(text({ min: 1, max: 1024 })).about('Reason, stored with the event.')

const NewBlock = record({
  blocks: withDefault(kinds(), ['account']).about(
    'trading: orders; transfers: money and shares in and out; account: both.',
  ),
  reason,
}).named('NewBlock')

const RemovedBlock = record({
  blocks: withDefault(kinds(), ['trading', 'transfers', 'account']),
  reason,
}).named('RemovedBlock')

const errors = ['invalidParameter', 'worldNotFound', 'accountNotFound', 'accountIsClosed'] as const
const block = { body: NewBlock, output: BrokerAccount, errors: [...errors, 'accountHoldsCustody'] } as const
const unblock = { body: RemovedBlock, output: BrokerAccount, errors } as const

const ofPartner = { ...shared, params: record(accountParam) } as const
const ofOperator = { ...operatorOnly, params: record({ ...worldParam, ...accountParam }) } as const

export const accountBlocks = {
  blockAccount: operation('POST /v1/accounts/{account_id}/actions/block', ofPartner, {
    ...block,
    summary: 'Block trading, transfers or both for an account. Open orders stay open and can be canceled.',
  }),
  unblockAccount: operation('POST /v1/accounts/{account_id}/actions/unblock', ofPartner, {
    ...unblock,
    summary: 'Remove blocks from an account.',
  }),
  blockAccountOfWorld: operation('POST /sim/v1/worlds/{world}/accounts/{account_id}/block', ofOperator, {
    ...block,
    summary: 'Block trading, transfers or both for an account of a world.',
  }),
  unblockAccountOfWorld: operation('POST /sim/v1/worlds/{world}/accounts/{account_id}/unblock', ofOperator, {
    ...unblock,
    summary: 'Remove blocks from an account of a world.',
  }),
}
