mvn --quiet --batch-mode --no-transfer-progress package
