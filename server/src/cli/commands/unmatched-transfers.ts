import type { InputOf } from '@quipu/contract'
import { type Command, UsageError } from '../command.ts'
import { printList, printRecord } from '../output.ts'

type Network = InputOf<'resolveUnmatchedTransfer'>['params']['network']

/** Tokens that arrived at a redemption wallet and match no account. */
export const unmatchedTransferCommands: readonly Command[] = [
  {
    name: 'unmatched-transfer list',
    about: 'List on-chain transfers that need manual review.',
    operations: ['listUnmatchedTransfers'],
    example: 'quipu unmatched-transfer list',
    run: async (context) => {
      const transfers = await context
        .operator()
        .listUnmatchedTransfers({ params: { world: context.config.world } })
      if (context.json || transfers.length === 0)
        return printList(context, transfers, [], 'no transfers to review')
      // A review needs every field, and the hashes are too wide for a table.
      return printRecord(context, { transfers })
    },
  },
  {
    name: 'unmatched-transfer resolve',
    about: 'Mark an on-chain transfer as reviewed. Nothing moves.',
    arguments: [
      { name: 'NETWORK', about: 'Network.' },
      { name: 'TX_HASH', about: 'Hash of the transaction.' },
      { name: 'LOG_INDEX', about: 'Number of the transfer in its block, from the list.' },
    ],
    flags: { note: { placeholder: 'TEXT', about: 'Result of the review, recorded in the journal.' } },
    operations: ['resolveUnmatchedTransfer'],
    example: `quipu unmatched-transfer resolve ethereum 0x${'5d'.repeat(32)} 0 --note returned`,
    run: async (context) => {
      const { operator, config, args } = context
      const note = args.get('note')
      if (!note)
        throw new UsageError('unmatched-transfer resolve: expected --note TEXT, the result of the review')
      const log_index = Number(args.get('LOG_INDEX'))
      if (!Number.isSafeInteger(log_index) || log_index < 0)
        throw new UsageError(`LOG_INDEX: expected a whole number, received "${args.get('LOG_INDEX')}"`)
      const network = args.get('NETWORK') as Network
      const params = { world: config.world, network, tx_hash: args.get('TX_HASH')!, log_index }
      return printRecord(context, await operator().resolveUnmatchedTransfer({ params, body: { note } }))
    },
  },
]
