import type { ComponentChildren, JSX } from 'preact'
import { Card } from '../../parts/card.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'

type OnceProps = {
  readonly title: string
  readonly rows: readonly (readonly [name: string, value: string])[]
  readonly copyAll?: { readonly label: string; readonly text: string }
  readonly done: () => void
  readonly children: ComponentChildren
}

/** Secrets that are shown once, with copy buttons. */
export const OnceCard = ({ title, rows, copyAll, done, children }: OnceProps): JSX.Element => (
  <Card title={title}>
    <div class="body stack">
      <div class="note tint" role="status">
        <Icon name="key" />
        <b>Created</b>
        <p>{children}</p>
      </div>
      <dl class="once">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{value}</code>
              <Copy text={value}>
                Copy<span class="hidden-text"> {name}</span>
              </Copy>
            </dd>
          </div>
        ))}
      </dl>
      <div class="once-actions">
        {copyAll && (
          <Copy text={copyAll.text} class="button main">
            {copyAll.label}
          </Copy>
        )}
        <button type="button" class="button" onClick={done}>
          Done
        </button>
      </div>
    </div>
  </Card>
)
