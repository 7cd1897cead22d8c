-- Run once by the image of Postgres, while its volume is empty. The bot's user owns its database and is no superuser. The
-- superuser gets no password, so that nobody reaches it over the network.
\getenv password POSTGRES_PASSWORD
create role bot login password :'password';
create database bot owner bot;
alter role postgres password null;
