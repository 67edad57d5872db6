/** A click on a row, except on a link in it: the link leads to its own address. */
export const onRow =
  (run: () => void) =>
  ({ target }: { readonly target: EventTarget | null }): void => {
    if (!(target as Element).closest('a')) run()
  }
