# Runs once, when the database of the primary is created: a standby may connect, and every commit waits for it.
echo "host replication all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
psql --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" -c "ALTER SYSTEM SET synchronous_standby_names = 'standby'"
