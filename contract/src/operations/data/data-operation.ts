import { nullable, oneOf, optional, record, text } from '../../shape/index.ts'
import { symbolParam } from './market-parameters.ts'

/** The fields that all market-data operations share. */
export const reading = { family: 'data', who: ['account', 'partner'], scope: 'data' } as const

/** Crypto data needs no credentials. */
export const cryptoReading = {
  ...reading,
  who: ['account', 'partner', 'visitor'],
  params: record({ loc: oneOf('us', 'us-1', 'us-2', 'eu-1', 'bs-1') }),
} as const

export const cryptoRoute = <Tail extends string>(tail: Tail) => `GET /v1beta3/crypto/{loc}/${tail}` as const

/** The errors of a list, beside those of its parameters. */
export const listErrors = ['invalidDataParameter', 'endBeforeStart', 'invalidPageToken'] as const
export const stockListErrors = [...listErrors, 'currencyNotSupported'] as const

export const oneSymbol = record({ symbol: symbolParam() })
export const currency = optional(text())
export const nextPageToken = nullable(text()).about('Null on the last page.')
