/** The provider did not give what was asked for. Nobody here is at fault, and later it may. */
export class UpstreamFailed extends Error {
  /** What to tell whoever asked; never a secret. */
  readonly problem: string
  readonly retryAfterSeconds: number

  constructor(problem: string, retryAfterSeconds = 1) {
    super(`the market data provider ${problem}`)
    this.name = 'UpstreamFailed'
    this.problem = problem
    this.retryAfterSeconds = retryAfterSeconds
  }
}
