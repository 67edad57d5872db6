import type { MarketSource } from '@quipu/broker/market/market-source.ts'
import type { ExplainStepRecord } from '@quipu/contract'
import { format, formatInstant, type Instant, type View } from '@quipu/core'
import type { NumberedEvent } from '../../../wire/numbered-event.ts'
import { refusalSentence, type StepCode, sentences, type Values } from './sentences.table.ts'

/** One decision or one checked fact, with its numbers and a sentence. */
export type ExplainedStep = ExplainStepRecord

/** The parts of a world that steps read. A preview has them for a state that is thrown away. */
export type ExplainedWorld = {
  readonly view: View
  readonly engine: { readonly latest: Instant }
  readonly market: Pick<MarketSource, 'assets' | 'pricesAt' | 'live'>
}

/** The part of the market that a reader may see: an operator also the future of generated prices, an account the past. */
export type Sight = 'future' | 'past'

export type Numbers = Readonly<Record<string, bigint | string | number | boolean | undefined>>

/** A step of an event; bigint numbers are amounts and become decimals. */
export const stepOf = (
  { seq, event, cause }: NumberedEvent,
  code: StepCode,
  numbers: Numbers,
): ExplainedStep => {
  const { sentence, ...step } = explainStepAt(event.at, code, numbers)
  return { ...step, number: seq, request_id: cause, sentence }
}

/** A step of the market or of the current state. */
export function explainStepAt(at: Instant, code: StepCode, numbers: Numbers): ExplainedStep {
  const values = written(numbers)
  return { code, at: formatInstant(at), numbers: values, sentence: sentences[code](values) }
}

/** The rule that refused something. Its code is the reason of the error. */
export function refusalStep(at: string, reason: string, numbers: Numbers): ExplainedStep {
  const values = written(numbers)
  return { code: reason, at, numbers: values, sentence: refusalSentence(values) }
}

export const written = (numbers: Numbers): Values =>
  Object.fromEntries(
    Object.entries(numbers)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === 'bigint' ? format(value) : String(value)]),
  )
