/** Until when a reader may know the market: an operator beyond now, where it can be foreseen; an account up to now. */
export type Sight = 'future' | 'past'
