import type { ExplainStepRecord } from '@quipu/contract'
import { format, formatInstant, type Instant } from '@quipu/core'
import type { NumberedEvent } from '../numbered-event.ts'

/** One decision, or one thing that was looked at, with its numbers and in words. */
export type Step = ExplainStepRecord

export type Numbers = Readonly<Record<string, bigint | string | number | undefined>>

/** A step that is told from an event; amounts are given as such and written as decimals. */
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
    ...(cause !== undefined && { request_id: cause }),
    numbers: written(numbers),
    sentence,
  }
}

/** A step that is told from the market, or from how things stand. */
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
