-- In steps.
-- Searches take quotes, apostrophes and dashes of all kinds for one, and the sigma at the end of a word for any other. Records that are
-- written from now on have that form; these are brought into it.
update contacts
   set search_names = translate(search_names, '«»‹›„“”‟‘’‚‛‐‒–—―−ς', '""""""""''''''''------σ'),
       search_contact_data = translate(search_contact_data, '«»‹›„“”‟‘’‚‛‐‒–—―−ς', '""""""""''''''''------σ'),
       search_custom_fields = translate(search_custom_fields, '«»‹›„“”‟‘’‚‛‐‒–—―−ς', '""""""""''''''''------σ')
 where search_names || search_contact_data || search_custom_fields ~ '[«»‹›„“”‟‘’‚‛‐‒–—―−ς]';
-- step
update companies
   set search_names = translate(search_names, '«»‹›„“”‟‘’‚‛‐‒–—―−ς', '""""""""''''''''------σ'),
       search_contact_data = translate(search_contact_data, '«»‹›„“”‟‘’‚‛‐‒–—―−ς', '""""""""''''''''------σ'),
       search_custom_fields = translate(search_custom_fields, '«»‹›„“”‟‘’‚‛‐‒–—―−ς', '""""""""''''''''------σ')
 where search_names || search_contact_data || search_custom_fields ~ '[«»‹›„“”‟‘’‚‛‐‒–—―−ς]';
-- step
update deals
   set search_names = translate(search_names, '«»‹›„“”‟‘’‚‛‐‒–—―−ς', '""""""""''''''''------σ'),
       search_contact_data = translate(search_contact_data, '«»‹›„“”‟‘’‚‛‐‒–—―−ς', '""""""""''''''''------σ'),
       search_custom_fields = translate(search_custom_fields, '«»‹›„“”‟‘’‚‛‐‒–—―−ς', '""""""""''''''''------σ')
 where search_names || search_contact_data || search_custom_fields ~ '[«»‹›„“”‟‘’‚‛‐‒–—―−ς]';
-- step
update tasks
   set search_names = translate(search_names, '«»‹›„“”‟‘’‚‛‐‒–—―−ς', '""""""""''''''''------σ'),
       search_contact_data = translate(search_contact_data, '«»‹›„“”‟‘’‚‛‐‒–—―−ς', '""""""""''''''''------σ'),
       search_custom_fields = translate(search_custom_fields, '«»‹›„“”‟‘’‚‛‐‒–—―−ς', '""""""""''''''''------σ')
 where search_names || search_contact_data || search_custom_fields ~ '[«»‹›„“”‟‘’‚‛‐‒–—―−ς]';
