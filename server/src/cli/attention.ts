import type { InputOf, OutputOf } from '@quipu/contract'
import { type Command, UsageError } from './command.ts'
import { columns, recordLines } from './output.ts'

type Network = InputOf<'resolveAttention'>['params']['network']
type Arrival = OutputOf<'resolveAttention'>

/** Tokens that came to a redemption wallet and that nobody could be given shares for. */
export const attentionCommands: readonly Command[] = [
  {
    name: 'attention list',
    about: 'Lists tokens that came on a real chain and that somebody must look at.',
    operations: ['listAttention'],
    example: 'quipu attention list',
    run: async ({ operator, config: { world }, json, say }) => {
      const arrivals = await operator().listAttention({ params: { world } })
      say(json ? JSON.stringify(arrivals) : columns(arrivals.map(row)).join('\n'))
      return 0
    },
  },
  {
    name: 'attention resolve',
    about: 'Says that somebody has looked at tokens that came, and what came of it. Nothing moves.',
    arguments: [
      { name: 'NETWORK', about: 'Which network.' },
      { name: 'TX_HASH', about: 'The transaction they came by.' },
      { name: 'LOG_INDEX', about: 'The number of the transfer in its block, as the list tells it.' },
    ],
    flags: { note: { placeholder: 'TEXT', about: 'What came of it; kept in the journal.' } },
    operations: ['resolveAttention'],
    example: `quipu attention resolve ethereum 0x${'5d'.repeat(32)} 0 --note returned`,
    run: async ({ operator, config: { world }, given, json, say }) => {
      const note = given.get('note')
      if (!note) throw new UsageError('attention resolve needs --note: what came of it?')
      const log_index = Number(given.get('LOG_INDEX'))
      if (!Number.isSafeInteger(log_index) || log_index < 0)
        throw new UsageError(`expected a whole number, received "${given.get('LOG_INDEX')}"`)
      const network = given.get('NETWORK') as Network
      const params = { world, network, tx_hash: given.get('TX_HASH')!, log_index }
      const resolved = await operator().resolveAttention({ params, body: { note } })
      say(json ? JSON.stringify(resolved) : recordLines(resolved).join('\n'))
      return 0
    },
  },
]

const row = (arrival: Arrival): readonly string[] => [
  arrival.network,
  arrival.tx_hash,
  String(arrival.log_index),
  arrival.wallet_address,
  `${arrival.units} of ${arrival.token_symbol ?? arrival.contract}`,
  arrival.problem,
]
