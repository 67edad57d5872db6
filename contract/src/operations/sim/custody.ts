import { map, record, text } from '../../shape/index.ts'

/** What an issuer keeps of a share, and the tokens it is for. */
export const Custody = record({
  issuer: text(),
  underlying_symbol: text(),
  custody: text().about('Shares in its accounts: behind all tokens, those in flight included.'),
  multiplier: text().about('Shares behind one token, as a fraction. Splits change it.'),
  in_flight: text().about('Tokens of mints whose shares have moved, and which do not exist yet.'),
  tokens: map(text()).about('Minted and not redeemed, by network.'),
}).named('Custody')
