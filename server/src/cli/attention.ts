import type { InputOf, OutputOf } from '@quipu/contract'
import { type Command, UsageError } from './command.ts'
import { type Column, list, recordLines } from './output.ts'

type Network = InputOf<'resolveAttention'>['params']['network']
type Arrival = OutputOf<'resolveAttention'>

/** Tokens that came to a redemption wallet and that nobody could be given shares for. */
export const attentionCommands: readonly Command[] = [
  {
    name: 'attention list',
    about: 'List on-chain transfers that need manual review.',
    operations: ['listAttention'],
    example: 'quipu attention list',
    run: async (context) => {
      const arrivals = await context.operator().listAttention({ params: { world: context.config.world } })
      return list(context, arrivals, arrivalTable, 'no transfers to review')
    },
  },
  {
    name: 'attention resolve',
    about: 'Mark an on-chain transfer as reviewed. Nothing moves.',
    arguments: [
      { name: 'NETWORK', about: 'Network.' },
      { name: 'TX_HASH', about: 'Hash of the transaction.' },
      { name: 'LOG_INDEX', about: 'Number of the transfer in its block, from the list.' },
    ],
    flags: { note: { placeholder: 'TEXT', about: 'Result of the review, recorded in the journal.' } },
    operations: ['resolveAttention'],
    example: `quipu attention resolve ethereum 0x${'5d'.repeat(32)} 0 --note returned`,
    run: async ({ operator, config: { world }, given, json, say }) => {
      const note = given.get('note')
      if (!note) throw new UsageError('attention resolve: expected --note TEXT, the result of the review')
      const log_index = Number(given.get('LOG_INDEX'))
      if (!Number.isSafeInteger(log_index) || log_index < 0)
        throw new UsageError(`LOG_INDEX: expected a whole number, received "${given.get('LOG_INDEX')}"`)
      const network = given.get('NETWORK') as Network
      const params = { world, network, tx_hash: given.get('TX_HASH')!, log_index }
      const resolved = await operator().resolveAttention({ params, body: { note } })
      say(json ? JSON.stringify(resolved) : recordLines(resolved).join('\n'))
      return 0
    },
  },
]

const arrivalTable: readonly Column<Arrival>[] = [
  ['NETWORK', ({ network }) => network],
  ['LOG INDEX', ({ log_index: index }) => index, 'right'],
  ['UNITS', ({ units }) => units, 'right'],
  ['TOKEN', ({ token_symbol: symbol, contract }) => symbol ?? contract],
  ['PROBLEM', ({ problem }) => problem],
  ['WALLET', ({ wallet_address: wallet }) => wallet],
  ['TRANSACTION', ({ tx_hash: hash }) => hash],
]
