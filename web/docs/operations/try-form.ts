import { fieldRows, type Operation, type OperationName } from '@quipu/contract'
import { escaped } from '../html.ts'
import { type ExampleInput, inputOf } from './examples.ts'

/** The token that a call from a page needs. */
type TokenKind = 'account' | 'operator' | 'none'

/** Responses that a page can show. */
const shownTypes = /^(application\/json|text\/plain)/

/** The token for a call from a page, or undefined if a page cannot make the call. */
function tokenFor({ who, family, raw, bodyKind, secretPath, output }: Operation): TokenKind | undefined {
  if (family === 'oauth' || secretPath || (bodyKind ?? 'json') !== 'json') return undefined
  if (raw !== undefined && !shownTypes.test(raw)) return undefined
  if (raw === undefined && output === undefined && who.includes('anyone')) return undefined
  if (who.includes('anyone')) return 'none'
  if (who.includes('account')) return 'account'
  return who.includes('operator') ? 'operator' : undefined
}

/** A POST for which reading rights are enough changes nothing, for example the preview of an order. */
const isChange = ({ method, scope }: Operation): boolean => method !== 'GET' && scope !== 'read'

/** A form that sends the operation from the page. It stays hidden without scripts. */
export function tryForm(name: OperationName, declared: Operation): string {
  const token = name === 'issueSessionToken' ? undefined : tokenFor(declared)
  if (token === undefined) return ''
  const input = inputOf(name)
  const fields = [...fieldsOf(declared, input, 'params'), ...fieldsOf(declared, input, 'query')]
  const path = escaped(declared.path)
  return `<form class="try" hidden data-method="${declared.method}" data-path="${path}" data-token="${token}"${isChange(declared) ? ' data-changes' : ''}>
<div class="inputs">${fields.join('\n')}</div>${bodyField(input)}
<p class="act"><button class="button main" type="submit">Send</button><span class="as"></span></p>
</form>`
}

function fieldsOf(declared: Operation, input: ExampleInput, part: 'params' | 'query'): readonly string[] {
  const shape = declared[part]
  if (shape === undefined) return []
  return fieldRows(shape)
    .filter(({ name }) => !name.includes('.') && !name.endsWith('[]'))
    .map(({ name, type, presence }) => {
      const value = escaped(String(input[part]?.[name] ?? ''))
      const hint = escaped(presence.startsWith('default') ? presence : type)
      return `<label>${escaped(name)}<input name="${part}.${escaped(name)}" value="${value}" placeholder="${hint}"${part === 'params' ? ' required' : ''} autocomplete="off" spellcheck="false"></label>`
    })
}

function bodyField({ body }: ExampleInput): string {
  if (body === undefined) return ''
  const text = JSON.stringify(body, null, 2)
  const rows = Math.min(text.split('\n').length, 16)
  return `<label>Body<textarea name="body" rows="${rows}" spellcheck="false">${escaped(text)}</textarea></label>`
}
