/** A request to the provider failed. A later attempt may succeed. */
export class UpstreamFailed extends Error {
  /** The reason for the client; contains no secret. */
  readonly problem: string
  readonly retryAfterSeconds: number

  constructor(problem: string, retryAfterSeconds = 1) {
    super(`the market data provider ${problem}`)
    this.name = 'UpstreamFailed'
    this.problem = problem
    this.retryAfterSeconds = retryAfterSeconds
  }
}
