import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient, watchPresence } from './api/index.ts'
import { applyTheme } from './preferences/index.ts'
import { createCabinetRouter } from './router.tsx'
import { linkPressableStyle } from './styles/index.ts'
import { firstLanguage, speak } from './words/index.ts'

linkPressableStyle()
applyTheme()
watchPresence(window)
await speak(firstLanguage())

const client = createQueryClient()
const router = createCabinetRouter(client)
const place = document.querySelector('#application')
if (place === null) throw new Error('the page has no place for the application')
createRoot(place).render(
  <StrictMode>
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </I18nProvider>
  </StrictMode>,
)
