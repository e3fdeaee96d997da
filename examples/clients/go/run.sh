./synchronize
