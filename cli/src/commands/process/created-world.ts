import type { CommandContext } from '../command.ts'

type Created = { readonly start: string | undefined; readonly hours: CommandContext['config']['hours'] }

const DATE = /^\d{4}-\d\d-\d\d$/
const DAY_MS = 86_400_000

/**
 * The start and the hours of a world that a run creates. A replay begins with a day of New York if its start is a date, and
 * has the hours of its exchanges unless others are asked for: a bot must not buy on the evening of a holiday.
 */
export async function createdWorld({
  args,
  config: { hours },
  sources,
}: Pick<CommandContext, 'args' | 'config' | 'sources'>): Promise<Created> {
  const from = args.get('from')
  if (from === undefined) return { start: args.get('start'), hours }
  const start = DATE.test(from) ? await newYorkMidnight(from) : from
  return { start, hours: sources.hours.source === 'default' ? 'nyse' : hours }
}

/** A date that does not exist stays as it is: the broker refuses it. */
async function newYorkMidnight(date: string): Promise<string> {
  const ms = Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(date)) return date
  const { midnightIn } = await import('@quipu/core')
  return new Date(midnightIn('newYork', ms / DAY_MS) / 1000).toISOString()
}
