import { MINUTE } from '../time.ts'

/** An issuer that has not said yes by then is not waited for: the shares are free again. */
export const ANSWER_WITHIN = 15n * MINUTE
/** Tokens that have not come by then are late; the shares stay where they are, and people are told. */
export const TOKENS_WITHIN = 60n * MINUTE
