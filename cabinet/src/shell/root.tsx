import { Outlet, useRouter } from '@tanstack/react-router'
import { I18nProvider, RouterProvider } from 'react-aria-components'
import { Toasts } from '../components/index.ts'
import { useWords } from '../words/index.ts'

const regions = { en: 'en-US', de: 'de-DE', ru: 'ru-RU' }

/** What is around every page: the language of the components, links without a reload, and what was just done. */
export function Root() {
  const { history } = useRouter()
  const { language } = useWords()
  const addressOf = (path: string) => (path.startsWith('/') ? `/cabinet${path}` : path)
  return (
    <I18nProvider locale={regions[language]}>
      <RouterProvider navigate={path => history.push(addressOf(path))} useHref={addressOf}>
        <Outlet />
        <Toasts />
      </RouterProvider>
    </I18nProvider>
  )
}
