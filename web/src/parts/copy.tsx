import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { copyText } from './copy-text.ts'
import { Icon } from './icon.tsx'

/** A button that copies a text. */
export function Copy({
  text,
  children,
  class: extra = 'button small bare',
}: {
  readonly text: string
  readonly children?: ComponentChildren
  readonly class?: string
}): JSX.Element {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await copyText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <button type="button" class={extra} onClick={copy}>
      <Icon name={isCopied ? 'check' : 'copy'} />
      {isCopied ? 'Copied' : (children ?? 'Copy')}
    </button>
  )
}

/** An id: its first 8 characters; a click copies all of it. */
export const Id = ({ value }: { readonly value: string }): JSX.Element => (
  <Copy text={value} class="link mono id">
    {value.slice(0, 8)}
  </Copy>
)
