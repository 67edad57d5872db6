import { nullable, text } from '../../shape/index.ts'

/** What all reading of market data has in common. */
export const reading = {
  family: 'data',
  method: 'GET',
  who: ['account', 'partner'],
  scope: 'data',
  status: 200,
} as const

/** What can go wrong with a list, beside its parameters. */
export const listErrors = ['invalidDataParameter', 'endBeforeStart', 'invalidPageToken'] as const

export const nextPageToken = nullable(text()).about('Null on the last page.')
