import { definedFields, entryIn } from '@quipu/core/values'
import type { CliCommand, CommandContext } from '../command.ts'
import { printRecord, utc } from '../output.ts'
import { wholeNumberValue } from '../values.ts'

/** Real time of one call, after which the progress is shown. */
const CALL_MS = 2000

export const replayCommand: CliCommand = {
  name: 'clock replay',
  about: 'Replay a world in lock-step: each step begins when its clients are done with the one before.',
  flags: {
    to: { placeholder: 'TIME', about: 'End: a time, or a date, which is included.' },
    step: {
      placeholder: 'DURATION',
      about: 'Longest time without a wait for clients: 1m, 1d. Default: from event to event.',
    },
    sessions: {
      placeholder: 'regular|all',
      about: 'Steps in regular sessions or at all hours. Default: regular.',
    },
    rounds: {
      placeholder: 'N',
      about: 'Pings in a row for clients without acknowledgements. Default: 4.',
      value: wholeNumberValue,
    },
    think: { placeholder: 'DURATION', about: 'Real time to wait in addition, at each wait. Default: 0.' },
  },
  operations: ['replayClock'],
  example: 'quipu clock replay --to 2026-02-27 --step 1m --world friday',
  run: async (context) => printRecord(context, await replay(context)),
}

/** Calls until the end, or until somebody else changes the clock. */
async function replay({ args, config: { world }, operator, note, isTerminal }: CommandContext) {
  const client = operator()
  const rounds = args.get('rounds')
  const body = definedFields({
    to: entryIn(args, 'to'),
    step: args.get('step'),
    sessions: args.get('sessions') as 'regular' | 'all' | undefined,
    rounds: rounds === undefined ? undefined : wholeNumberValue(rounds, 'rounds'),
    think: args.get('think'),
    within: `${CALL_MS}ms`,
  })
  let all = await client.replayClock({ params: { world }, body })
  for (let part = all; !part.finished && part.elapsed_ms >= CALL_MS; ) {
    if (isTerminal) note(`${world} is at ${utc(part.now)} UTC`)
    part = await client.replayClock({ params: { world }, body })
    all = {
      ...part,
      from: all.from,
      mode: all.mode === 'exact' ? part.mode : all.mode,
      steps: all.steps + part.steps,
      waits: all.waits + part.waits,
      elapsed_ms: all.elapsed_ms + part.elapsed_ms,
      client_ms: all.client_ms + part.client_ms,
    }
  }
  return all
}
