import { decimal, decimalText, integer, optional, record } from '../../shape/index.ts'

const isRate = (value: string): boolean => !value.startsWith('-') && Number(value) <= 1

/** Margin interest and margin calls. Both are off by default. */
export const newMargin = () =>
  record({
    interest_rate: optional(
      decimal({ decimals: 6 }).where(isRate, 'margin.interest_rate: expected a rate from 0 to 1'),
    ).about('Annual interest on the settled debit, such as 0.065.'),
    call_sessions: optional(integer({ min: 1, max: 20 })).about(
      'Sessions from a margin call until the broker closes positions. Absent: no margin calls.',
    ),
  }).named('NewMargin')

export const Margin = record({
  interest_rate: optional(decimalText()),
  call_sessions: optional(integer()),
}).named('Margin')
