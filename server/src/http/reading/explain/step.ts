import type { ExplainStepRecord } from '@quipu/contract'
import { format, formatInstant, type Instant } from '@quipu/core'
import type { NumberedEvent } from '../../../wire/numbered-event.ts'

/** One decision or one checked fact, with its numbers and a sentence. */
export type Step = ExplainStepRecord

/** The part of the market that a reader may see: an operator also the future of generated prices, an account the past. */
export type Sight = 'future' | 'past'

export type Numbers = Readonly<Record<string, bigint | string | number | undefined>>

/** A step of an event; bigint numbers are amounts and become decimals. */
export function stepOf(
  { seq, event, cause }: NumberedEvent,
  code: string,
  numbers: Numbers,
  sentence: string,
): Step {
  return {
    code,
    at: formatInstant(event.at),
    number: seq,
    request_id: cause,
    numbers: written(numbers),
    sentence,
  }
}

/** A step of the market or of the current state. */
export const stepAt = (at: Instant, code: string, numbers: Numbers, sentence: string): Step => ({
  code,
  at: formatInstant(at),
  numbers: written(numbers),
  sentence,
})

const written = (numbers: Numbers): Record<string, string> =>
  Object.fromEntries(
    Object.entries(numbers)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === 'bigint' ? format(value) : String(value)]),
  )
