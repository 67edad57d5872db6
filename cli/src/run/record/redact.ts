/** Fields that name a person or an account, or that give access to one. */
const PRIVATE: ReadonlySet<string> = new Set([
  ...['key', 'key_id', 'secret', 'secret_key', 'client_secret', 'password', 'code', 'code_verifier'],
  ...['token', 'access_token', 'refresh_token', 'id_token', 'oauth_token', 'client_assertion'],
  ...['account_number', 'bank_account_number', 'bank_routing_number', 'tax_id', 'date_of_birth'],
  ...[
    'name',
    'given_name',
    'middle_name',
    'family_name',
    'account_owner_name',
    'email_address',
    'phone_number',
  ],
  ...['street_address', 'city', 'state', 'postal_code', 'ip_address', 'wallet_address'],
])

/** Assets and watchlists have names that are nobody's. */
const PUBLIC_NAMES = /^\/v2\/(assets|watchlists|calendar|clock|options)/

/** Replaces private values in a body. Equal values get equal replacements, so that a reader sees which belong together. */
export class Redaction {
  readonly #secrets: readonly string[]
  readonly #replaced = new Map<string, string>()

  /** `secrets` are replaced wherever they occur. */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets.filter((secret) => secret.length >= 8)
  }

  body(path: string, text: string): unknown {
    if (text === '') return undefined
    try {
      return this.#value(path, '', JSON.parse(text))
    } catch {
      return this.form(text)
    }
  }

  /** A path with its query, or the body of a form. */
  form(text: string): string {
    const fields = this.#text(text).replace(/([?&]|^)([a-z_]+)=([^&]*)/g, (all, before, name, value) =>
      PRIVATE.has(name) ? `${before}${name}=${this.#replacement(name, value)}` : all,
    )
    return fields
  }

  #value(path: string, name: string, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#value(path, name, one))
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([field, one]) => [field, this.#value(path, field, one)]),
      )
    if (typeof value !== 'string') return value
    const isPrivate = PRIVATE.has(name) && !(name === 'name' && PUBLIC_NAMES.test(path))
    return isPrivate && value !== '' ? this.#replacement(name, value) : this.#text(value)
  }

  #text(text: string): string {
    return this.#secrets.reduce((rest, secret) => rest.replaceAll(secret, 'removed'), text)
  }

  #replacement(name: string, value: string): string {
    const known = this.#replaced.get(`${name} ${value}`)
    if (known !== undefined) return known
    const replacement = `removed-${name}-${this.#replaced.size + 1}`
    this.#replaced.set(`${name} ${value}`, replacement)
    return replacement
  }
}
