/** A page of the documentation, or one of its headings: `docs/titles.json`. */
export type DocsTitle = {
  /** The address below the server, with the anchor. */
  readonly href: string
  readonly title: string
  readonly about?: string
  readonly section: string
}

/** An input of an operation, as a form asks for it. */
export type CommandField = {
  /** The path in its part: `effect.kind`. */
  readonly name: string
  readonly part: 'params' | 'query' | 'body'
  /** list: texts with commas. json: a value that has no input of its own. */
  readonly kind: 'text' | 'number' | 'check' | 'choice' | 'list' | 'json'
  readonly choices?: readonly string[]
  readonly isRequired?: true
  /** What is used without a value. */
  readonly start?: string
  readonly about?: string
}

/** An operation of `/sim/v1` that the search can call: `docs/commands.json`. */
export type Command = {
  readonly operation: string
  readonly title: string
  readonly about?: string
  readonly who: 'account' | 'operator'
  /** It changes nothing, so an auditor may call it. */
  readonly onlyReads?: true
  /** It deletes something or moves money, so the form asks first. */
  readonly asksFirst?: true
  /** The response is a file. */
  readonly isFile?: true
  readonly fields: readonly CommandField[]
}
