/** The part of the market that a reader may see: an operator also the future of generated prices, an account the past. */
export type Sight = 'future' | 'past'
