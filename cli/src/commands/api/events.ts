import type { JournalEventRecord } from '@quipu/contract'
import { createStreams } from '@quipu/sdk'
import { fieldsOf, pagesOf } from '../call.ts'
import type { CliCommand, CommandContext } from '../command.ts'
import { operatorOptions } from '../find-server.ts'
import { type Column, printList, printStream, utcMs } from '../output.ts'
import { commaSeparated } from '../values.ts'

const LAST = 20
const LAST_FILTERED = 1000

const filters = {
  kind: {
    placeholder: 'KIND',
    about: 'Show events of these kinds, separated by commas: orderFilled.',
    value: commaSeparated,
  },
  account: { placeholder: 'ID', about: 'Show events of this account.', field: 'account_id' },
  order: { placeholder: 'ID', about: 'Show events of this order.', field: 'order_id' },
} as const

export const eventsCommand: CliCommand = {
  name: 'events',
  about: 'Show the newest events of the journal: orders, fills, transfers and everything else.',
  flags: {
    follow: { about: 'Wait for new events and print each, until interrupted.' },
    last: {
      placeholder: 'N',
      about: `Start this many events before the end, at most 1000. Default: ${LAST}; with a filter ${LAST_FILTERED}.`,
    },
    ...filters,
  },
  operations: ['listEvents'],
  example: 'quipu events --follow --kind orderFilled',
  run: async (context) => {
    const { operator, config } = context
    const params = { world: config.world }
    const query = await queryOf(context)
    if (context.args.has('follow')) {
      const streams = createStreams(operatorOptions(config))
      return printStream(context, streams.listEvents({ params, query }), eventTable)
    }
    // A filter is applied to the last events, so the pages after the first one matter too.
    const events: JournalEventRecord[] = []
    const read = (page: object) => operator().listEvents({ params, query: page })
    for await (const page of pagesOf(query, read)) events.push(...page.events)
    return printList(context, events, eventTable, 'no events')
  },
}

async function queryOf(context: CommandContext) {
  const fields = await fieldsOf(context, { flags: filters })
  const isFiltered = Object.keys(fields).length > 0
  return { ...fields, last: context.args.get('last') ?? String(isFiltered ? LAST_FILTERED : LAST) }
}

const eventTable: readonly Column<JournalEventRecord>[] = [
  ['TIME (UTC)', ({ at }) => utcMs(at)],
  ['KIND', ({ kind }) => kind, 14],
  ['ORDER OR ACCOUNT', ({ order_id, account_id }) => order_id ?? account_id],
  ['NUMBER', ({ number }) => number, 'right'],
]
