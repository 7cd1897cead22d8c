-- Run once by the image of Postgres, while its volume is empty. The bot's user owns its database and is no superuser. The
-- superuser gets no password, so that nobody reaches it over the network.
\getenv password POSTGRES_PASSWORD
create role bot login password :'password';
create database bot owner bot;
-- A statement that waits longer, for a locked table, say, is ended. The bot asks for the same on each connection.
alter role bot set statement_timeout = '10s';
alter role postgres password null;
